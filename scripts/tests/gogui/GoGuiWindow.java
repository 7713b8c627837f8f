import java.awt.Component;
import java.awt.Container;
import java.awt.Point;
import java.awt.Rectangle;
import java.awt.Robot;
import java.awt.Toolkit;
import java.awt.Window;
import java.awt.event.InputEvent;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import javax.swing.JButton;
import javax.swing.JComboBox;
import javax.swing.JDialog;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JMenu;
import javax.swing.JMenuItem;
import javax.swing.JOptionPane;
import javax.swing.SwingUtilities;
import net.sf.gogui.go.GoColor;
import net.sf.gogui.go.GoPoint;
import net.sf.gogui.gogui.GoGui;
import net.sf.gogui.gogui.MainWrapper;
import net.sf.gogui.gui.AnalyzeDialog;
import net.sf.gogui.gui.GuiBoard;
import net.sf.gogui.gui.StatusBar;
import net.sf.gogui.gui.TextViewer;

/**
 * Opens GoGui with an engine, plays moves, and runs every analyze command of the engine, all with the mouse. Fails if
 * a dialog opens that does not belong to a command, or if a command shows nothing.
 *
 * <pre>java -cp gogui.jar GoGuiWindow.java FOLDER ENGINE COMMANDS</pre>
 *
 * FOLDER receives screenshots. ENGINE is the engine's command line. COMMANDS is its output of gogui-analyze_commands.
 */
public final class GoGuiWindow {
    private static final int BOARD_SIZE = 9;
    /** Moves of both players together. */
    private static final int MOVES = 10;
    private static final int PATIENCE_SECONDS = 300;

    private final Robot robot;
    private final File folder;
    private final GoGui window;
    private int pictures;

    public static void main(String[] arguments) {
        try {
            MainWrapper.main(new String[] {
                "-program", arguments[1], "-computer-white", "-size", String.valueOf(BOARD_SIZE), "-verbose"
            });
            new GoGuiWindow(new File(arguments[0])).run(arguments[2]);
            System.out.println("ok");
            System.exit(0);
        } catch (Throwable error) {
            error.printStackTrace();
            System.exit(1);
        }
    }

    private GoGuiWindow(File folder) throws Exception {
        this.folder = folder;
        robot = new Robot();
        until("a window", () -> shown(GoGui.class).findAny().isPresent());
        window = shown(GoGui.class).findAny().orElseThrow();
        until("an engine", () -> !window.isCommandInProgress() && window.isProgramAttached());
        swing(() -> {
            window.setBounds(0, 0, 760, 640);
            window.validate();
            return null;
        });
    }

    private void run(String commands) throws Exception {
        for (int moves = 0; moves < MOVES; moves += 2) {
            play(moves);
        }
        picture("moves");
        press(menuItem(window.getJMenuBar(), "Tools"));
        press(menuItem(window.getJMenuBar(), "Analyze Commands"));
        until("the list of analyze commands", () -> shown(AnalyzeDialog.class).findAny().isPresent());
        swing(() -> {
            shown(AnalyzeDialog.class).forEach(dialog -> dialog.setLocation(window.getWidth(), 0));
            return null;
        });
        picture("commands");
        for (String line : commands.split("\n")) {
            String[] fields = line.split("/");
            analyze(fields[0], fields[1]);
        }
    }

    /** Clicks on the first empty point of the third and fourth lines, and waits for the engine's move. */
    private void play(int movesBefore) throws Exception {
        GuiBoard board = only(GuiBoard.class, window);
        String[] points = {"E5", "C3", "G7", "C7", "G3", "E3", "E7", "C5", "G5", "D4", "F6"};
        Point place = swing(() -> {
            for (String name : points) {
                GoPoint point = GoPoint.parsePoint(name, BOARD_SIZE);
                if (window.getGame().getBoard().getColor(point) == GoColor.EMPTY) {
                    return board.getLocationOnScreen(point);
                }
            }
            throw new AssertionError("no empty point");
        });
        click(place);
        until("move " + (movesBefore + 2), () -> {
            noUnexpectedDialog("a move");
            return window.getGame().getMoveNumber() == movesBefore + 2 && !window.isCommandInProgress();
        });
    }

    /** Runs a command in the list of analyze commands, and checks what GoGui shows. */
    private void analyze(String type, String label) throws Exception {
        AnalyzeDialog dialog = shown(AnalyzeDialog.class).findAny().orElseThrow();
        press(button(dialog, "Clear"));
        select(only(JList.class, dialog), label);
        StatusBar status = only(StatusBar.class, window);
        swing(() -> {
            status.clear();
            return null;
        });
        BufferedImage before = board();
        press(button(dialog, "Run"));
        boolean isParameters = type.equals("param");
        until("the result of " + label, () -> {
            noUnexpectedDialog(isParameters ? label : "");
            boolean isFinished = !window.isCommandInProgress() && !status.getText().isEmpty();
            return isParameters ? parameters(label).findAny().isPresent() : isFinished;
        });
        robot.waitForIdle();
        picture(label);
        switch (type) {
            case "dboard": case "pspairs": case "varc":
                check(!same(before, board()), label + " shows nothing on the board");
                break;
            case "string": case "hstring":
                boolean isInWindow = shown(TextViewer.class).anyMatch(viewer -> viewer.getTitle().equals(label));
                String text = swing(status::getText);
                check(isInWindow || text.startsWith(label + ": "), label + " shows no text: " + text);
                check(!text.contains("(empty response)"), label + " has an empty response");
                break;
            case "plist":
                // The list of points may be empty.
                break;
            case "param":
                change(label);
                break;
            default:
                throw new AssertionError("type " + type + " of " + label + " is not covered");
        }
        for (Window viewer : shown(TextViewer.class).collect(Collectors.toList())) {
            swing(() -> {
                viewer.dispose();
                return null;
            });
        }
    }

    /** Changes the first parameter with a list of values from its first to its last value, and confirms. */
    private void change(String label) throws Exception {
        JDialog dialog = parameters(label).findAny().orElseThrow();
        JComboBox<?> values = all(JComboBox.class, dialog).findFirst().orElseThrow();
        swing(() -> {
            check(values.getSelectedIndex() == 0, "the first parameter has another value: " + values.getSelectedItem());
            values.setSelectedIndex(values.getItemCount() - 1);
            return null;
        });
        press(button(dialog, "OK"));
        until("the end of " + label, () -> {
            noUnexpectedDialog(label);
            return !parameters(label).findAny().isPresent();
        });
    }

    private static Stream<JDialog> parameters(String title) {
        return shown(JDialog.class).filter(dialog -> title.equals(dialog.getTitle()));
    }

    /** Fails if an error, a warning or a question is shown: every dialog with buttons, except the one with `title`. */
    private void noUnexpectedDialog(String title) {
        shown(JDialog.class)
            .filter(dialog -> all(JOptionPane.class, dialog).findAny().isPresent() && !title.equals(dialog.getTitle()))
            .findAny()
            .ifPresent(dialog -> {
                picture("unexpected");
                throw new AssertionError("dialog: " + all(JLabel.class, dialog).map(JLabel::getText)
                    .filter(text -> text != null).collect(Collectors.joining(" ")));
            });
    }

    // Components

    private static <T extends Window> Stream<T> shown(Class<T> kind) {
        return Arrays.stream(Window.getWindows()).filter(Window::isShowing).filter(kind::isInstance).map(kind::cast);
    }

    private static <T> Stream<T> all(Class<T> kind, Container container) {
        List<T> found = new ArrayList<>();
        for (Component component : container.getComponents()) {
            if (kind.isInstance(component)) {
                found.add(kind.cast(component));
            }
            if (component instanceof Container) {
                all(kind, (Container) component).forEach(found::add);
            }
        }
        return found.stream();
    }

    private static <T> T only(Class<T> kind, Container container) {
        List<T> found = all(kind, container).collect(Collectors.toList());
        check(found.size() == 1, found.size() + " components " + kind.getSimpleName());
        return found.get(0);
    }

    private static JButton button(Container container, String text) {
        return all(JButton.class, container).filter(button -> text.equals(button.getText())).findAny().orElseThrow();
    }

    /** Returns a menu, or an item of the open menus. */
    private static JMenuItem menuItem(Container bar, String text) {
        Stream<JMenuItem> menus = all(JMenuItem.class, bar);
        Stream<JMenuItem> items = all(JMenu.class, bar).flatMap(menu -> all(JMenuItem.class, menu.getPopupMenu()));
        return Stream.concat(menus, items).filter(item -> text.equals(item.getText())).findAny().orElseThrow();
    }

    // Mouse and screen

    private void click(Point place) {
        robot.mouseMove(place.x, place.y);
        robot.mousePress(InputEvent.BUTTON1_DOWN_MASK);
        robot.mouseRelease(InputEvent.BUTTON1_DOWN_MASK);
        robot.waitForIdle();
    }

    private void press(Component component) throws Exception {
        until("a visible component", component::isShowing);
        click(swing(() -> {
            Point corner = component.getLocationOnScreen();
            return new Point(corner.x + component.getWidth() / 2, corner.y + component.getHeight() / 2);
        }));
    }

    private void select(JList<?> list, String label) throws Exception {
        click(swing(() -> {
            for (int index = 0; index < list.getModel().getSize(); index++) {
                if (label.equals(list.getModel().getElementAt(index))) {
                    list.ensureIndexIsVisible(index);
                    Rectangle cell = list.getCellBounds(index, index);
                    Point corner = list.getLocationOnScreen();
                    return new Point(corner.x + cell.x + cell.width / 2, corner.y + cell.y + cell.height / 2);
                }
            }
            throw new AssertionError("GoGui does not list " + label);
        }));
        until("the selection of " + label, () -> label.equals(list.getSelectedValue()));
    }

    /** Paints the board as it is now, without the windows above it. */
    private BufferedImage board() throws Exception {
        return swing(() -> {
            GuiBoard board = only(GuiBoard.class, window);
            BufferedImage image = new BufferedImage(board.getWidth(), board.getHeight(), BufferedImage.TYPE_INT_RGB);
            board.paint(image.getGraphics());
            return image;
        });
    }

    private static boolean same(BufferedImage one, BufferedImage other) {
        int width = one.getWidth();
        int height = one.getHeight();
        return width == other.getWidth() && height == other.getHeight()
            && Arrays.equals(one.getRGB(0, 0, width, height, null, 0, width),
                other.getRGB(0, 0, width, height, null, 0, width));
    }

    private void picture(String label) {
        Rectangle screen = new Rectangle(Toolkit.getDefaultToolkit().getScreenSize());
        String name = String.format("%02d-%s.png", pictures++, label.toLowerCase().replace(' ', '-'));
        try {
            ImageIO.write(robot.createScreenCapture(screen), "png", new File(folder, name));
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }

    // Time and threads

    /** Returns a value that is computed in Swing's thread. */
    private static <T> T swing(Callable<T> value) throws Exception {
        FutureTask<T> task = new FutureTask<>(value);
        SwingUtilities.invokeAndWait(task);
        return task.get();
    }

    /** Waits until a condition, which is tested in Swing's thread, is true. */
    private static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + PATIENCE_SECONDS * 1_000_000_000L;
        while (!swing(condition)) {
            check(System.nanoTime() < end, "waited in vain for " + what);
            Thread.sleep(50);
        }
    }

    private static void check(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
